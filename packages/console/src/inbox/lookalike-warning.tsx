import { Icon } from '../ui/icons.tsx';
import type { Lookalike } from './lookalikes.ts';
import { sourceName } from './source.tsx';

/** Says before a decision that a name is also somebody else's. */
export function LookalikeWarning({
  lookalikes,
  name,
}: {
  readonly lookalikes: readonly Lookalike[];
  readonly name: string;
}) {
  return (
    <div className="notice notice-warn" role="note">
      <Icon name="warning" />
      <div>
        <p>
          <strong>
            {lookalikes.some(({ allowed }) => allowed)
              ? `Somebody on your allowlist is also called “${name}”, under another id.`
              : `Others who wait are also called “${name}”, under other ids.`}
          </strong>{' '}
          Anyone can take a name; only the id tells who it is.
        </p>
        <ul>
          {lookalikes.map((other) => (
            <li key={`${other.source} ${other.senderId}`}>
              <bdi>{other.name}</bdi> · {sourceName(other.source, other.senderId)} ·{' '}
              <code>{other.senderId}</code>
              {other.allowed && ' · allowed'}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
