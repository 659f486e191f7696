import * as z from 'zod';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { projectIdSchema, subscriberIdSchema } from '../shapes/common.ts';
import { pageOfSubscriberEvents, subscriberEventSchema } from './history.ts';

const listSubscriberEvents = operation({
  name: 'list_subscriber_events',
  call: 'Call it to see what happened to a subscriber, newest first: opens, clicks, bounces, consent given and taken back.',
  needs: 'Needs an admin key.',
  returns: 'Returns a page of events, each with its campaign where it has one.',
  http: { method: 'GET', path: '/subscribers/:subscriber_id/events' },
  rights: { scope: 'admin', project: 'none' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    project_id: projectIdSchema,
    subscriber_id: subscriberIdSchema,
    ...pageFields('evt'),
  }),
  output: pageSchema(subscriberEventSchema),
  errors: ['not_found'],
  async handle({ project_id, subscriber_id, limit, cursor }, { ports }) {
    const request = { projectId: project_id, subscriberId: subscriber_id, limit, cursor };
    const { rows, next_cursor } = await pageOfSubscriberEvents(ports, request);
    return { data: rows, next_cursor };
  },
});

/** The route of a subscriber's history, under /campaigns/api. */
export const historyOperations = [listSubscriberEvents];
