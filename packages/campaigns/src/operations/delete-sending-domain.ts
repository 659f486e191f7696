import * as z from 'zod';
import { deleteSendingDomain as remove } from '../domains/domains.ts';
import { domainSchema } from '../domains/shapes.ts';
import { confirmField, dryRunQuery, operation } from '../operation.ts';
import { domainIdSchema, effectSchema, projectIdField } from '../shapes/common.ts';

const input = z.strictObject({ ...projectIdField, domain_id: domainIdSchema });

export const deleteSendingDomain = operation({
  name: 'delete_sending_domain',
  call: 'Call it to stop sending from a domain; its DKIM key is gone for good.',
  needs: 'Needs domains:write, and confirm: true to do it.',
  returns: 'Returns the outcome, its effect in words, and the domain: null once it is deleted.',
  http: { method: 'DELETE', path: '/sending-domains/:domain_id' },
  tool: true,
  rights: { scope: 'domains:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input,
  restOnly: dryRunQuery,
  toolInput: input.extend(confirmField),
  output: z.strictObject({
    outcome: z.enum(['would_delete', 'deleted']),
    effect: effectSchema,
    domain: domainSchema.nullable(),
  }),
  errors: ['not_found'],
  handle: ({ domain_id }, { ports, caller, projectId, dryRun }) =>
    remove(ports, caller.keyId, projectId, domain_id, dryRun),
});
