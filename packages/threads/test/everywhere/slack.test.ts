import { slackHarness } from '../../src/testing/fakes/slack/harness.ts';
import { everywhere } from './everywhere.ts';

everywhere('Slack', slackHarness);
