import { mattermostHarness, mattermostTraits } from '../../testing/fakes/mattermost/harness.ts';
import { describePlatform } from '../../testing/platform-contract.ts';

describePlatform('mattermost', mattermostHarness, mattermostTraits);
