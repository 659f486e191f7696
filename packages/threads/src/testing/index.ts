export {
  ALLOWED,
  BOT,
  type FakeFile,
  type FakePlatform,
  fakePlatform,
  OWNER,
  STRANGER,
} from './fake-platform.ts';
export { threadsStore } from './store.ts';
