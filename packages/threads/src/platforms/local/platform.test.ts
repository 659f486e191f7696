import { describeEngines } from '@postern/store/testing';
import { localHarness, localTraits } from '../../testing/fakes/local/harness.ts';
import { describePlatform } from '../../testing/platform-contract.ts';

describeEngines('the embedded chat', (engine) => {
  describePlatform('local', () => localHarness(engine), localTraits);
});
