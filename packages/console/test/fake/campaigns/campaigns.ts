import { mailingRoutes } from './mailing.ts';
import { peopleRoutes } from './people.ts';
import { openDesk } from './state.ts';

/** The campaigns' routes in memory, as a person signed in to the console meets them. */
export function createFakeCampaigns() {
  const desk = openDesk();
  return { ...desk, routes: [...peopleRoutes(desk), ...mailingRoutes(desk)] };
}

export type FakeCampaigns = ReturnType<typeof createFakeCampaigns>;
