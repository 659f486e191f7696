import type { Place } from '@postern/store/testing';
import { imessageConnector } from '../src/connectors/imessage/connector.ts';
import { takeIn } from './intake-child.ts';

/** Program: takes in what stands in a database of Messages until it is killed, and says `running` when it begins. */

export interface IMessageChild {
  readonly place: Place;
  readonly chatDb: string;
}

const { place, chatDb }: IMessageChild = JSON.parse(process.argv[2] ?? '');
await takeIn(place, (clock) =>
  imessageConnector({ chatDb, osascript: ['/usr/bin/false'], region: 'US', groups: true, pollMs: 5 }, clock),
);
