import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent, AgentToken } from '../api/inbox.ts';
import type { Session } from '../api/session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { agentsQuery, tokensQuery } from './queries.ts';
import { CreateTokenDialog, RevokeTokenDialog } from './token-dialogs.tsx';

interface AgentsSectionProps {
  readonly session: Session;
}

export function AgentsSection({ session }: AgentsSectionProps) {
  const agents = useQuery(agentsQuery);
  const tokens = useQuery(tokensQuery);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<AgentToken | null>(null);
  return (
    <Section
      title="Agents"
      intro="Who reads and answers. Each agent keeps its own read marks; a token lets it in under its own id."
      action={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          New token
        </Button>
      }
    >
      <Loaded query={agents} what="the agents">
        {(list) =>
          list.length === 0 ? (
            <Empty icon="agent" title="No agent has read anything yet">
              <p>
                Make a token, and paste its configuration into your agent. It stands here once it has marked a
                message as read.
              </p>
            </Empty>
          ) : (
            <ul className="cards card-grid">
              {list.map((agent) => (
                <li key={agent.agent_id}>
                  <AgentCard agent={agent} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <h2 className="section-sub">Tokens</h2>
      <Loaded query={tokens} what="the tokens">
        {(list) =>
          list.length === 0 ? (
            <p className="section-none">
              No tokens yet. Agents on this machine may also use the shared one in the data folder.
            </p>
          ) : (
            <ul className="cards">
              {list.map((token) => (
                <li key={token.token_id}>
                  <TokenCard token={token} onRevoke={() => setRevoking(token)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && (
        <CreateTokenDialog
          session={session}
          agentIds={agents.data?.map((agent) => agent.agent_id) ?? []}
          onClose={() => setCreating(false)}
        />
      )}
      {revoking !== null && <RevokeTokenDialog token={revoking} onClose={() => setRevoking(null)} />}
    </Section>
  );
}

function AgentCard({ agent }: { readonly agent: Agent }) {
  return (
    <article className="card agent-card" aria-label={agent.agent_id}>
      <header className="card-head">
        <Avatar id={agent.agent_id} name={agent.agent_id} agent />
        <div className="card-title">
          <h2 className="breakable">{agent.agent_id}</h2>
          <p className="card-meta">
            {agent.last_read_at === null ? (
              'has read nothing yet'
            ) : (
              <span>
                last read <Time at={agent.last_read_at} as="relative" />
              </span>
            )}
          </p>
        </div>
      </header>
      <dl className="figures">
        <div>
          <dt>Unread</dt>
          <dd className={agent.unread_count > 0 ? 'figure-strong' : undefined}>
            {agent.unread_count.toLocaleString()}
          </dd>
        </div>
        <div>
          <dt>Read</dt>
          <dd>{agent.read_count.toLocaleString()}</dd>
        </div>
      </dl>
      <p className="card-meta">
        <span>
          first seen <Time at={agent.first_seen_at} as="relative" />
        </span>
      </p>
    </article>
  );
}

function TokenCard({ token, onRevoke }: { readonly token: AgentToken; readonly onRevoke: () => void }) {
  const name = token.name ?? token.agent_id;
  return (
    <article className="card card-row" aria-label={`Token ${name}`}>
      <span className="avatar avatar-medium avatar-channel" aria-hidden="true">
        <Icon name="key" small />
      </span>
      <div className="card-title">
        <h3>
          <bdi>{name}</bdi>
          {token.scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </h3>
        <p className="card-meta">
          <span>
            agent <code>{token.agent_id}</code>
          </span>
          <span>
            made <Time at={token.created_at} as="relative" />
          </span>
          <span>
            {token.last_used_at === null ? (
              'never used'
            ) : (
              <>
                used <Time at={token.last_used_at} as="relative" />
              </>
            )}
          </span>
        </p>
      </div>
      <Button onClick={onRevoke} aria-label={`Revoke the token ${name}`}>
        Revoke
      </Button>
    </article>
  );
}
