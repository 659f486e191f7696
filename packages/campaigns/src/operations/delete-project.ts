import * as z from 'zod';
import { confirmField, dryRunQuery, operation } from '../operation.ts';
import { deleteProject as remove } from '../projects/projects.ts';
import { projectAnswer, projectSchema } from '../projects/shapes.ts';
import { effectSchema, projectIdSchema } from '../shapes/common.ts';
import { deletionOutcomes } from '../shapes/deletion.ts';

const input = z.strictObject({ project_id: projectIdSchema });

export const deleteProject = operation({
  name: 'delete_project',
  call: 'Call it to delete a project with all its lists, subscribers and campaigns, for good.',
  needs: 'Needs an admin key, no running campaign in the project, and confirm: true to do it.',
  returns: 'Returns the outcome, what it takes along in numbers, and the project.',
  http: { method: 'DELETE', path: '/projects/:project_id' },
  tool: true,
  rights: { scope: 'admin', project: 'none' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input,
  restOnly: dryRunQuery,
  toolInput: input.extend(confirmField),
  output: z.strictObject({
    outcome: z.enum(deletionOutcomes),
    effect: effectSchema,
    project: projectSchema,
  }),
  errors: ['not_found', 'precondition_failed'],
  async handle({ project_id }, { ports, caller, dryRun }) {
    const { outcome, effect, row } = await remove(ports, caller.keyId, project_id, dryRun);
    return { outcome, effect, project: projectAnswer(row) };
  },
});
