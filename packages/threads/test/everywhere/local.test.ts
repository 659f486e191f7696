import { localHarness } from '../../src/testing/fakes/local/harness.ts';
import { everywhere } from './everywhere.ts';

everywhere('the local chat', localHarness);
