import { localHarness, localTraits } from '../../testing/fakes/local/harness.ts';
import { describeConnector } from '../../testing/index.ts';

describeConnector('local', () => localHarness('sqlite'), localTraits);
