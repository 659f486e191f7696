import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorText } from '../api/http.ts';
import { inboxApi, type Pairing } from '../api/inbox.ts';
import { counted } from '../lib/names.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { pairingsQuery } from './queries.ts';
import { ForgeableWarning, SenderId, SourceBadge } from './source.tsx';

export function PairingsSection() {
  const pairings = useQuery(pairingsQuery);
  const [approving, setApproving] = useState<Pairing | null>(null);
  return (
    <Section
      title="Pairings"
      intro="Somebody unknown who wrote was sent a code. Have them tell you the code another way, compare, and approve."
    >
      <Loaded query={pairings} what="the pairings">
        {(list) =>
          list.length === 0 ? (
            <Empty icon="plug" title="No one is waiting">
              <p>
                With <code>inbox.pairing: on</code> in <code>postern.yaml</code>, unknown senders get a
                one-time code, and their requests stand here for an hour.
              </p>
            </Empty>
          ) : (
            <ul className="cards">
              {list.map((pairing) => (
                <li key={pairing.code}>
                  <article className="card card-row" aria-label={`Pairing of ${pairing.display_name}`}>
                    <Avatar id={pairing.sender_id} name={pairing.display_name} />
                    <div className="card-title">
                      <h2>
                        <bdi>{pairing.display_name}</bdi>
                        <SourceBadge source={pairing.source} senderId={pairing.sender_id} />
                      </h2>
                      <p className="card-meta">
                        <SenderId id={pairing.sender_id} />
                        <span>
                          expires <Time at={pairing.expires_at} as="relative" />
                        </span>
                      </p>
                    </div>
                    <code className="pairing-code">
                      <span className="visually-hidden">Code </span>
                      {pairing.code}
                    </code>
                    <Button kind="primary" icon="check" onClick={() => setApproving(pairing)}>
                      Approve
                    </Button>
                  </article>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {approving !== null && <ApproveDialog pairing={approving} onClose={() => setApproving(null)} />}
    </Section>
  );
}

function ApproveDialog({ pairing, onClose }: { readonly pairing: Pairing; readonly onClose: () => void }) {
  const client = useQueryClient();
  const toast = useToast();
  const approve = useMutation({
    mutationFn: () => inboxApi.approvePairing(pairing.code),
    onSuccess({ released_count: released }) {
      toast(`${pairing.display_name} is allowed. ${counted(released, 'message')} released.`);
      onClose();
      return client.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  return (
    <ConfirmDialog
      title={`Approve ${pairing.display_name}?`}
      action="Approve"
      kind="primary"
      busy={approve.isPending}
      error={approve.isError ? errorText(approve.error) : null}
      onConfirm={() => approve.mutate()}
      onClose={onClose}
    >
      <p>
        Only if this person told you the code <code className="pairing-code">{pairing.code}</code> themselves.
        They go on the allowlist, and agents see what they wrote.
      </p>
      <p className="dialog-line">
        <SourceBadge source={pairing.source} senderId={pairing.sender_id} />{' '}
        <SenderId id={pairing.sender_id} />
      </p>
      <ForgeableWarning source={pairing.source} senderId={pairing.sender_id} />
    </ConfirmDialog>
  );
}
