import * as z from 'zod';
import { operation } from '../operation.ts';
import { countSegment as count } from '../segments/count.ts';
import { segmentInput } from '../segments/shapes.ts';
import { boundedArray } from '../shapes/bounded.ts';
import { listIdSchema, projectIdField, segmentIdSchema } from '../shapes/common.ts';

const MOST_LISTS = 100;

export const countSegment = operation({
  name: 'count_segment',
  call: 'Call it to learn how many subscribers a condition matches, before you keep it or mail them.',
  needs: 'Needs segments:write, and either a condition or the id of a segment.',
  returns:
    'Returns how many match, in any status the condition leaves open, once for each list they are on; storage_timeout when there are too many to count.',
  http: { method: 'POST', path: '/segments/count' },
  tool: true,
  rights: {
    scope: 'segments:write',
    project: 'context',
    references: { condition: 'condition', segment_id: 'segment', list_ids: 'list' },
  },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z
    .strictObject({
      ...projectIdField,
      condition: segmentInput.condition.optional(),
      segment_id: segmentIdSchema.optional().describe('A segment to count instead of a condition'),
      list_ids: boundedArray(listIdSchema, 1, MOST_LISTS)
        .optional()
        .describe('Only subscribers of these lists; of all lists without it'),
    })
    .refine(({ condition, segment_id }) => condition !== undefined || segment_id !== undefined, {
      path: ['condition'],
      error: 'is required without segment_id',
      params: { code: 'required' },
      when: () => true,
    })
    .refine(({ condition, segment_id }) => condition === undefined || segment_id === undefined, {
      path: ['segment_id'],
      error: 'must not stand beside condition',
      params: { code: 'not_allowed' },
      when: () => true,
    }),
  output: z.strictObject({ count: z.int() }),
  errors: ['not_found', 'storage_timeout'],
  handle: async (input, { ports, projectId, signal }) => ({
    count: await count(ports, projectId, input, signal),
  }),
});
