export { BENCH_ADMIN_KEY, type BenchOptions, type CampaignsBench, campaignsBench } from './bench.ts';
export { dumpTables } from './dump.ts';
export { type Example, type Examples, examples, type Stage } from './examples.ts';
export { FakeImap } from './fake-imap.ts';
export {
  type Era,
  eras,
  type HttpBench,
  type KeyHolder,
  type ListedTool,
  type RestAnswer,
  type ToolAnswer,
} from './http-bench.ts';
export { MemoryLog } from './memory-log.ts';
