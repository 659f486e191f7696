import { slackHarness, slackTraits } from '../../testing/fakes/slack/harness.ts';
import { describePlatform } from '../../testing/platform-contract.ts';

describePlatform('slack', slackHarness, slackTraits);
