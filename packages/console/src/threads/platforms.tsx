import { useQuery } from '@tanstack/react-query';
import { Loaded, Section } from '../ui/section.tsx';
import { AccountsSection } from './accounts.tsx';
import { platformsQuery } from './queries.ts';
import { PlatformBadge } from './words.tsx';

const kinds: Readonly<Record<string, string>> = {
  local: 'Local chat',
  mattermost: 'Mattermost',
  slack: 'Slack',
};

export function PlatformsSection() {
  const platforms = useQuery(platformsQuery);
  return (
    <>
      <Section
        title="Platforms"
        intro={
          <>
            Where the bot listens. They stand under <code>threads.platforms</code> in postern.yaml;{' '}
            <code>npx postern init</code> adds one, <code>npx postern doctor</code> checks them.
          </>
        }
      >
        <Loaded query={platforms} what="the platforms">
          {(list) => (
            <ul className="cards">
              {list.map(({ id, kind, status, detail }) => (
                <li key={id}>
                  <article className="card card-row" aria-label={id}>
                    <div className="card-title">
                      <h2>
                        {id}
                        <PlatformBadge status={status} />
                      </h2>
                      <p className="card-meta">
                        <span>{kinds[kind] ?? kind}</span>
                        {detail !== null && <span>{detail}</span>}
                      </p>
                    </div>
                  </article>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
      <AccountsSection />
    </>
  );
}
