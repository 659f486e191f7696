import * as z from 'zod';
import { pageOfLists } from '../lists/lists.ts';
import { listSchema } from '../lists/shapes.ts';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { projectIdField } from '../shapes/common.ts';

export const listLists = operation({
  name: 'list_lists',
  call: 'Call it to see which lists a project has, and how many people are on each.',
  needs: 'Needs lists:read.',
  returns: 'Returns a page of lists with their counts, oldest first, without deleted ones.',
  http: { method: 'GET', path: '/lists' },
  tool: true,
  rights: { scope: 'lists:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, ...pageFields('lst') }),
  output: pageSchema(listSchema),
  errors: [],
  async handle(input, { ports, projectId }) {
    const { rows, next_cursor } = await pageOfLists(ports, projectId, input);
    return { data: rows, next_cursor };
  },
});
