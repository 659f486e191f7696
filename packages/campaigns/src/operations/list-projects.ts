import * as z from 'zod';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { listProjects as list } from '../projects/projects.ts';
import { projectAnswer, projectSchema } from '../projects/shapes.ts';

export const listProjects = operation({
  name: 'list_projects',
  call: 'Call it to see which projects there are.',
  needs: 'Needs an admin key; an API key with projects:read sees its own project alone.',
  returns: 'Returns a page of projects, oldest first, without deleted ones.',
  http: { method: 'GET', path: '/projects' },
  tool: true,
  rights: { scope: 'projects:read', project: 'none' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject(pageFields('prj')),
  output: pageSchema(projectSchema),
  errors: [],
  async handle(input, { ports, caller }) {
    const { rows, next_cursor } = await list(ports, caller.projectId, input);
    return { data: rows.map(projectAnswer), next_cursor };
  },
});
