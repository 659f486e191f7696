import * as z from 'zod';
import { operation } from '../operation.ts';
import { requestLimits } from '../server-info.ts';
import { listIdSchema, projectIdField } from '../shapes/common.ts';
import { importSubscribers as importAll } from '../subscribers/import/import.ts';
import { importAnswerSchema, recordsSchema } from '../subscribers/import/shapes.ts';
import { consentInput, evidenceRule } from '../subscribers/shapes.ts';

const fields = {
  ...projectIdField,
  list_id: listIdSchema,
  records: recordsSchema(requestLimits.import_records),
  ...consentInput,
};

export const importSubscribers = operation({
  name: 'import_subscribers',
  call: 'Call it to put many people on a list at once, up to 1,000 a call (10,000 over REST).',
  needs:
    'Needs subscribers:write, and records of the right form: one wrong field refuses them all; people who left stay away unless resubscribe is true.',
  returns:
    'Returns how many were created, updated, unchanged and skipped, and the outcome of each record; a repeat is safe.',
  http: { method: 'POST', path: '/lists/:list_id/subscribers/import', bulk: 'records' },
  tool: true,
  rights: { scope: 'subscribers:write', project: 'context' },
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject(fields).refine(...evidenceRule),
  toolInput: z
    .strictObject({ ...fields, records: recordsSchema(requestLimits.import_records_tool) })
    .refine(...evidenceRule),
  output: importAnswerSchema,
  errors: ['not_found'],
  handle: ({ list_id, records, resubscribe, evidence }, { ports, caller, projectId }) =>
    importAll(ports, caller.keyId, {
      projectId,
      listId: list_id,
      records: records.text,
      resubscribe,
      evidence: evidence ?? null,
    }),
});
