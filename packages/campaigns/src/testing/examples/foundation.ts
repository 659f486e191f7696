import { insertKey } from '../../keys/rows.ts';
import type { Examples, Stage } from '../examples.ts';

/** Server, projects, keys and lists. */

const admin = { caller: 'admin' } as const;

async function key(stage: Stage, kind: 'admin' | 'api'): Promise<string> {
  const { row } = await stage.ports.store.transaction((tx) =>
    insertKey(tx, stage.ports, {
      kind,
      projectId: kind === 'api' ? stage.project.project_id : null,
      name: 'Nightly export',
      scopes: kind === 'api' ? ['lists:read'] : [],
      expiresUs: null,
      ratePerMinute: null,
    }),
  );
  return row.key_id;
}

async function list(stage: Stage): Promise<string> {
  const row = await stage.makeList(stage.project.project_id, { name: 'Newsletter' });
  await stage.makeSubscriber(row);
  await stage.makeSubscriber(row, { status: 'unsubscribed' });
  return row.list_id;
}

const ownProject = ({ project }: Stage) => ({ project_id: project.project_id });

export const examples: Examples = {
  get_server_info: { arrange: () => ({}) },
  whoami: { arrange: () => ({}) },

  create_project: {
    ...admin,
    arrange: () => ({ name: 'Harbour Books', slug: 'harbour-books', sender_address: '1 Quay Street, Porto' }),
  },
  list_projects: { arrange: () => ({ limit: 10 }) },
  get_project: { arrange: ownProject },
  update_project: { ...admin, arrange: (stage) => ({ ...ownProject(stage), name: 'Harbour Books & Maps' }) },
  delete_project: { ...admin, arrange: ownProject },

  create_api_key: {
    arrange: () => ({ name: 'Newsletter agent', scopes: ['lists:read', 'campaigns:write'] }),
  },
  list_api_keys: { arrange: () => ({}) },
  revoke_api_key: { arrange: async (stage) => ({ key_id: await key(stage, 'api') }) },
  create_admin_key: { ...admin, arrange: () => ({ name: 'Operations', expires_at: '2027-01-01T00:00:00Z' }) },
  list_admin_keys: { ...admin, arrange: () => ({}) },
  revoke_admin_key: { ...admin, arrange: async (stage) => ({ key_id: await key(stage, 'admin') }) },

  create_list: {
    arrange: () => ({
      name: 'Newsletter',
      description: 'News of the shop, monthly',
      opt_in: 'double',
      from: { name: 'Harbour Books', email: 'news@harbour.example' },
    }),
  },
  list_lists: {
    async arrange(stage) {
      await list(stage);
      return { limit: 10 };
    },
  },
  get_list: { arrange: async (stage) => ({ list_id: await list(stage) }) },
  update_list: {
    arrange: async (stage) => ({ list_id: await list(stage), description: null, public: true }),
  },
  delete_list: { arrange: async (stage) => ({ list_id: await list(stage) }) },
};
