import { mattermostHarness } from '../../src/testing/fakes/mattermost/harness.ts';
import { everywhere } from './everywhere.ts';

everywhere('Mattermost', mattermostHarness);
