import * as z from 'zod';
import { deleteList as remove } from '../lists/lists.ts';
import { listSchema } from '../lists/shapes.ts';
import { confirmField, dryRunQuery, operation } from '../operation.ts';
import { effectSchema, listIdSchema, projectIdField } from '../shapes/common.ts';
import { deletionOutcomes } from '../shapes/deletion.ts';

const input = z.strictObject({ ...projectIdField, list_id: listIdSchema });

export const deleteList = operation({
  name: 'delete_list',
  call: 'Call it to delete a list with its subscribers, for good.',
  needs: 'Needs lists:write, no running campaign that mails the list, and confirm: true to do it.',
  returns: 'Returns the outcome, how many subscribers go with it, and the list.',
  http: { method: 'DELETE', path: '/lists/:list_id' },
  tool: true,
  rights: { scope: 'lists:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input,
  restOnly: dryRunQuery,
  toolInput: input.extend(confirmField),
  output: z.strictObject({ outcome: z.enum(deletionOutcomes), effect: effectSchema, list: listSchema }),
  errors: ['not_found', 'precondition_failed'],
  async handle({ list_id }, { ports, caller, projectId, dryRun }) {
    const { outcome, effect, row } = await remove(ports, caller.keyId, projectId, list_id, dryRun);
    return { outcome, effect, list: row };
  },
});
