import { templateHarness, templateTraits } from '../../testing/fakes/template/harness.ts';
import { describeConnector } from '../../testing/index.ts';

describeConnector('template', templateHarness, templateTraits);
