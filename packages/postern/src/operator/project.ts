import * as z from 'zod';
import { Refusal } from '../secrets/data-folder.ts';
import type { OperatorApi } from './api.ts';

const pageSchema = z.object({
  data: z.array(z.object({ id: z.string(), slug: z.string().nullable() })),
  next_cursor: z.string().nullable(),
});

/** No slug holds an underscore, so an id is never one. */
const ID = /^prj_/;

/**
 * The id of a project that somebody named by its id or its slug.
 *
 * @throws Refusal when no project has the slug.
 */
export async function projectIdOf(api: OperatorApi, idOrSlug: string): Promise<string> {
  if (ID.test(idOrSlug)) return idOrSlug;
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '100', ...(cursor === null ? {} : { cursor }) });
    const page: z.output<typeof pageSchema> = pageSchema.parse(
      await api.call('GET', `/api/v1/projects?${query}`),
    );
    const found = page.data.find(({ slug }) => slug === idOrSlug);
    if (found) return found.id;
    cursor = page.next_cursor;
  } while (cursor !== null);
  throw new Refusal(`No project has the slug "${idOrSlug}"; the console lists them under Projects.`);
}
