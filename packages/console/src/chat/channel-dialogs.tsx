import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { errorText } from '../api/http.ts';
import { type ChannelType, type LocalChannel, localApi, type Person } from '../api/local.ts';
import { slugOf } from '../lib/names.ts';
import { navigate, paths } from '../router.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { isAgent } from './people.ts';
import { channelsQuery } from './queries.ts';

const types: readonly { value: ChannelType; label: string; hint: string }[] = [
  { value: 'group', label: 'Group', hint: 'A room for several people and agents' },
  { value: 'dm', label: 'Direct message', hint: 'One person and Postern, nobody else' },
];

interface NewChannelProps {
  readonly person: Person | null;
  readonly initialName: string;
  readonly onClose: () => void;
}

export function NewChannelDialog({ person, initialName, onClose }: NewChannelProps) {
  const [type, setType] = useState<ChannelType>('group');
  const [name, setName] = useState(initialName);
  const [nameError, setNameError] = useState<string | null>(null);
  const client = useQueryClient();

  const directName = person === null ? '' : `dm-${person.id}`;
  const shownName = type === 'dm' && name === '' ? directName : name;
  const finalName = type === 'dm' && shownName === directName ? directName : slugOf(shownName);

  const create = useMutation({
    mutationFn: () =>
      localApi.createChannel({ name: finalName, type, ...(person !== null && { members: [person] }) }),
    onSuccess(channel) {
      client.setQueryData(channelsQuery.queryKey, (known) => [
        ...(known ?? []).filter(({ id }) => id !== channel.id),
        channel,
      ]);
      navigate(paths.chat(channel.name));
      onClose();
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    const error =
      finalName === ''
        ? 'Give the channel a name.'
        : type === 'group' && finalName.startsWith('dm-')
          ? 'Names that start with “dm-” are for direct messages.'
          : null;
    setNameError(error);
    if (error === null) create.mutate();
  }

  return (
    <Dialog title="New channel" onClose={onClose}>
      <form onSubmit={submit} className="form" noValidate>
        <Choice legend="Kind" name="channel-type" value={type} options={types} onChange={setType} />
        <Field
          label="Name"
          value={shownName}
          maxLength={64}
          error={nameError}
          spellCheck={false}
          autoCapitalize="none"
          data-starts-here
          hint={
            finalName === '' ? (
              'Short, such as “general” or “release-planning”.'
            ) : (
              <>
                Agents know it as <code>local:{finalName}</code>
              </>
            )
          }
          onChange={(event) => setName(event.target.value)}
        />
        {create.isError && <FormError text={errorText(create.error)} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function MembersDialog({ channel, onClose }: { channel: LocalChannel; onClose: () => void }) {
  return (
    <Dialog title={`Members of ${channel.name}`} onClose={onClose}>
      {channel.members.length === 0 ? (
        <p className="dialog-text">Nobody yet. Whoever writes here becomes a member.</p>
      ) : (
        <ul className="member-list">
          {channel.members.map((member) => (
            <li key={member.id}>
              <Avatar id={member.id} name={member.name} agent={isAgent(member)} />
              <span className="person-words">
                <span className="person-name">
                  <bdi>{member.name}</bdi> {isAgent(member) && <Badge kind="accent">agent</Badge>}
                </span>
                <span className="person-id">@{member.id}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      <dl className="facts">
        <dt>Channel id</dt>
        <dd className="breakable">
          <code>{channel.id}</code>
        </dd>
      </dl>
    </Dialog>
  );
}
