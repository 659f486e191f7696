export {
  describeEngines,
  type FreshStore,
  type FreshStoreOptions,
  freshPlace,
  freshStore,
  type Place,
} from './fresh-store.ts';
export { type PrivatePostgres, privatePostgres } from './private-postgres.ts';
export { schemaText } from './schema-text.ts';
