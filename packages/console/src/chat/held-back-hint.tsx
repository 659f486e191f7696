import { useInfiniteQuery } from '@tanstack/react-query';
import { quarantineQuery } from '../inbox/queries.ts';
import { Link, paths } from '../router.tsx';
import { Icon } from '../ui/icons.tsx';

/** The inbox's name of the local chat. */
const SOURCE = 'local';

/** Tells someone who writes that no agent hears them, as long as what they wrote is held back. */
export function HeldBackHint({ personId }: { readonly personId: string }) {
  const { data } = useInfiniteQuery(quarantineQuery);
  const held =
    data?.pages.flat().some(({ source, sender }) => source === SOURCE && sender.id === personId) ?? false;
  if (!held) return null;
  return (
    <p className="notice notice-warn hint" role="status">
      <Icon name="shield" small />
      <span>Agents don’t see what you write yet.</span>
      <Link to={paths.inbox('quarantine')}>Let yourself in</Link>
    </p>
  );
}
