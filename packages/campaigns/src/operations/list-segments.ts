import * as z from 'zod';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { pageOfSegments } from '../segments/segments.ts';
import { segmentSchema } from '../segments/shapes.ts';
import { projectIdField } from '../shapes/common.ts';

export const listSegments = operation({
  name: 'list_segments',
  call: 'Call it to see which segments a project has.',
  needs: 'Needs segments:read.',
  returns: 'Returns a page of segments with their conditions, oldest first.',
  http: { method: 'GET', path: '/segments' },
  tool: true,
  rights: { scope: 'segments:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, ...pageFields('seg') }),
  output: pageSchema(segmentSchema),
  errors: [],
  async handle(input, { ports, projectId }) {
    const { rows, next_cursor } = await pageOfSegments(ports, projectId, input);
    return { data: rows, next_cursor };
  },
});
