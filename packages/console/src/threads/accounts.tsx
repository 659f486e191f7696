import { useQuery } from '@tanstack/react-query';
import { Badge } from '../ui/badge.tsx';
import { Time } from '../ui/time.tsx';
import { accountsQuery } from './queries.ts';

const logins = { home: 'Login in a home folder', api_key: 'API key' } as const;

/** The pool of the agent's accounts; nothing where there is none, which is the usual case. */
export function Accounts() {
  const { data: accounts = [] } = useQuery(accountsQuery);
  if (accounts.length === 0) return null;
  return (
    <>
      <div>
        <h2 className="section-sub">Accounts</h2>
        <p className="section-intro">
          Logins of the agent’s program that sessions are spread over; they stand under{' '}
          <code>threads.claudeAccounts</code> in postern.yaml. A session stays with the account it began with.
        </p>
      </div>
      <ul className="cards">
        {accounts.map(({ id, login, running, paused, limited_until }) => (
          <li key={id}>
            <article className="card card-row" aria-label={id}>
              <div className="card-title">
                <h2>
                  {id}
                  <Badge kind={limited_until === null ? 'good' : 'warn'}>
                    {limited_until === null ? 'free' : 'at its limit'}
                  </Badge>
                </h2>
                <p className="card-meta">
                  <span>{logins[login]}</span>
                  <span>
                    {running} running, {paused} paused
                  </span>
                  {limited_until !== null && (
                    <span>
                      Free again <Time at={limited_until} as="relative" />
                    </span>
                  )}
                </p>
              </div>
            </article>
          </li>
        ))}
      </ul>
    </>
  );
}
