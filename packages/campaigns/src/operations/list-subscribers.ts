import * as z from 'zod';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { lineSchema, listIdSchema, projectIdField } from '../shapes/common.ts';
import { pageOfSubscribers } from '../subscribers/read.ts';
import { subscriberSchema, subscriberStatuses } from '../subscribers/shapes.ts';

export const listSubscribers = operation({
  name: 'list_subscribers',
  call: 'Call it to see who is on a list, all of them or by status, part of the address or part of the name.',
  needs: 'Needs subscribers:read.',
  returns: 'Returns a page of subscribers in a fixed order; erased ones only with status erased.',
  http: { method: 'GET', path: '/lists/:list_id/subscribers' },
  tool: true,
  rights: { scope: 'subscribers:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    list_id: listIdSchema,
    status: z.enum(subscriberStatuses).optional().describe('Only subscribers of this status'),
    email: lineSchema(1, 320).optional().describe('Only addresses that contain this, in any case'),
    name: lineSchema(1, 200).optional().describe('Only names that contain this, in any case'),
    search: lineSchema(1, 320)
      .optional()
      .describe('Only those whose address or name contains this, in any case'),
    ...pageFields('sub'),
  }),
  output: pageSchema(subscriberSchema),
  errors: ['not_found', 'storage_timeout'],
  async handle({ list_id, status, email, name, search, ...request }, { ports, projectId, signal }) {
    const filter = { status, email, name, search };
    const { rows, next_cursor } = await pageOfSubscribers(ports, projectId, list_id, filter, request, signal);
    return { data: rows, next_cursor };
  },
});
