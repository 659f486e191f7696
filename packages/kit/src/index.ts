export * from './clock.ts';
export * from './errors.ts';
export * from './ids.ts';
export * from './operation.ts';
export { inputJsonSchema, type JsonSchema, outputJsonSchema } from './schema/json-schema.ts';
export { coerceQuery, type Query } from './schema/query.ts';
export {
  type Checked,
  type CheckOptions,
  checkInput,
  isFormViolation,
  parseOptions,
  summariseViolations,
  violationsOf,
} from './schema/violations.ts';
export * from './system.ts';
export * from './time.ts';
