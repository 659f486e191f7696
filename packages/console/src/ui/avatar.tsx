import { hueOf, initials } from '../lib/names.ts';
import { PosternMark } from './icons.tsx';

interface AvatarProps {
  readonly id: string;
  readonly name: string;
  readonly agent?: boolean;
  readonly size?: 'small' | 'medium';
}

/** Decoration beside a name: an agent has the gate, a person a colour of their own. */
export function Avatar({ id, name, agent = false, size = 'medium' }: AvatarProps) {
  const className = `avatar avatar-${size} ${agent ? 'avatar-agent' : `avatar-hue-${hueOf(id)}`}`;
  return (
    <span className={className} aria-hidden="true">
      {agent ? <PosternMark /> : initials(name)}
    </span>
  );
}
