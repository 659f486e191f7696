import { useQuery } from '@tanstack/react-query';
import type { PlatformFeature, ThreadPlatform } from '../api/threads.ts';
import { Loaded, Section } from '../ui/section.tsx';
import { Accounts } from './accounts.tsx';
import { platformsQuery } from './queries.ts';
import { PlatformBadge, permissionModes } from './words.tsx';

const kinds: Readonly<Record<string, string>> = {
  local: 'Local chat',
  mattermost: 'Mattermost',
  slack: 'Slack',
};

const featureNames: readonly (readonly [PlatformFeature, string])[] = [
  ['memory', 'memory'],
  ['routines', 'routines'],
  ['watches', 'watches'],
  ['whole_channel', 'one session for the whole channel'],
  ['direct_messages', 'direct messages'],
  ['files_out', 'files out'],
  ['record', 'audit'],
];

export function PlatformsSection() {
  const platforms = useQuery(platformsQuery);
  return (
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
            {list.map((platform) => (
              <li key={platform.id}>
                <PlatformCard platform={platform} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Accounts />
    </Section>
  );
}

function PlatformCard({ platform }: { readonly platform: ThreadPlatform }) {
  const { id, kind, status, detail, channel, bot_name, permission_mode, features } = platform;
  const on = featureNames.filter(([feature]) => features.includes(feature)).map(([, name]) => name);
  const off = featureNames.filter(([feature]) => !features.includes(feature)).map(([, name]) => name);
  return (
    <article className="card card-row" aria-label={id}>
      <div className="card-title">
        <h2>
          {id}
          <PlatformBadge status={status} />
        </h2>
        <p className="card-meta">
          <span>{kinds[kind] ?? kind}</span>
          <span>
            in the channel {channel.name !== null && <bdi>{channel.name} </bdi>}
            {channel.name !== channel.id && <code>{channel.id}</code>}
          </span>
          <span>
            as <bdi>@{bot_name}</bdi>
          </span>
          <span>{permissionModes[permission_mode]}</span>
          {detail !== null && <span>{detail}</span>}
        </p>
        {on.length > 0 && <p className="task-line">On: {on.join(', ')}</p>}
        {off.length > 0 && <p className="task-line task-aside">Off: {off.join(', ')}</p>}
      </div>
    </article>
  );
}
