import { imessageHarness, imessageTraits } from '../../testing/fakes/imessage/harness.ts';
import { describeConnector } from '../../testing/index.ts';

describeConnector('imessage', imessageHarness, imessageTraits);
