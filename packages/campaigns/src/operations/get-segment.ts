import * as z from 'zod';
import { operation } from '../operation.ts';
import { getSegment as get } from '../segments/segments.ts';
import { segmentSchema } from '../segments/shapes.ts';
import { projectIdField, segmentIdSchema } from '../shapes/common.ts';

export const getSegment = operation({
  name: 'get_segment',
  call: 'Call it to read one segment and its condition; to learn how many it matches, call count_segment.',
  needs: 'Needs segments:read.',
  returns: 'Returns the segment.',
  http: { method: 'GET', path: '/segments/:segment_id' },
  tool: true,
  rights: { scope: 'segments:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, segment_id: segmentIdSchema }),
  output: segmentSchema,
  errors: ['not_found'],
  handle: ({ segment_id }, { ports, projectId }) => get(ports, projectId, segment_id),
});
