import { createContext, use } from 'react';
import { type Project, type ProjectApi, projectApi } from '../api/campaigns.ts';
import { storedValue } from '../lib/storage.ts';

/** The project that a page works in, and its requests. */
export interface ProjectRoom {
  readonly project: Project;
  readonly api: ProjectApi;
}

export const ProjectContext = createContext<ProjectRoom | null>(null);

export function roomOf(project: Project): ProjectRoom {
  return { project, api: projectApi(project.id) };
}

export function useProject(): ProjectRoom {
  const room = use(ProjectContext);
  if (room === null) throw new Error('this part of the page needs a project around it');
  return room;
}

/** The project somebody worked in last, which the plain address leads to. */
export const lastProject = storedValue<string | null>('campaigns.project', (found) =>
  typeof found === 'string' ? found : null,
);
