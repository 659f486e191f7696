import { useQuery } from '@tanstack/react-query';
import { type Condition, subscriberStatuses } from '../api/campaigns.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { readValue } from './attributes.ts';
import {
  asGroup,
  type Group,
  groupOf,
  isTest,
  joinOf,
  kindOf,
  membersOf,
  newTest,
  operatorsFor,
  shapeOf,
  type Test,
  withField,
  withOperator,
} from './condition.ts';
import { useProject } from './project.tsx';
import { campaignsQuery } from './queries.ts';

interface GroupEditorProps {
  readonly group: Group;
  readonly onChange: (group: Group) => void;
  /** Null at the root, which can't be taken away. */
  readonly onRemove: (() => void) | null;
  readonly isNot?: boolean;
  readonly onNot?: (isNot: boolean) => void;
}

/** Tests and further groups, joined by all or any. */
export function GroupEditor({ group, onChange, onRemove, isNot = false, onNot }: GroupEditorProps) {
  const join = joinOf(group);
  const members = membersOf(group);
  const change = (index: number, member: Condition) => onChange(groupOf(join, members.with(index, member)));
  const remove = (index: number) => onChange(groupOf(join, members.toSpliced(index, 1)));
  const add = (member: Condition) => onChange(groupOf(join, [...members, member]));
  return (
    <fieldset className="condition-group">
      <legend className="visually-hidden">{onRemove === null ? 'Condition' : 'Group'}</legend>
      <div className="condition-head">
        <Select
          bare
          label="How these are joined"
          value={isNot ? `not ${join}` : join}
          options={[
            { value: 'all', label: 'All of these' },
            { value: 'any', label: 'Any of these' },
            ...(onNot === undefined
              ? []
              : [
                  { value: 'not all', label: 'Not all of these' },
                  { value: 'not any', label: 'None of these' },
                ]),
          ]}
          onChange={(value) => {
            const next = value.endsWith('all') ? 'all' : 'any';
            if (next !== join) onChange(groupOf(next, members));
            if (value.startsWith('not') !== isNot) onNot?.(!isNot);
          }}
        />
        {onRemove !== null && <IconButton icon="close" label="Remove the group" onClick={onRemove} />}
      </div>
      <ul className="condition-members">
        {members.map((member, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: tests have no identity but their place
          <li key={index}>
            <MemberEditor
              member={member}
              onChange={(next) => change(index, next)}
              onRemove={() => remove(index)}
            />
          </li>
        ))}
      </ul>
      <div className="condition-add">
        <Button kind="quiet" icon="plus" onClick={() => add(newTest)}>
          Test
        </Button>
        <Button kind="quiet" icon="plus" onClick={() => add({ any: [newTest] })}>
          Group
        </Button>
      </div>
    </fieldset>
  );
}

interface MemberProps {
  readonly member: Condition;
  readonly onChange: (member: Condition) => void;
  readonly onRemove: () => void;
}

function MemberEditor({ member, onChange, onRemove }: MemberProps) {
  if (isTest(member)) return <TestEditor test={member} onChange={onChange} onRemove={onRemove} />;
  const isNot = 'not' in member;
  const group = asGroup(isNot ? member.not : member);
  const wrap = (inner: Group, not: boolean): Condition => (not ? { not: inner } : inner);
  return (
    <GroupEditor
      group={group}
      isNot={isNot}
      onNot={(not) => onChange(wrap(group, not))}
      onChange={(next) => onChange(wrap(next, isNot))}
      onRemove={onRemove}
    />
  );
}

interface TestProps {
  readonly test: Test;
  readonly onChange: (test: Test) => void;
  readonly onRemove: () => void;
}

const fieldOptions = [
  { value: 'email', label: 'Address' },
  { value: 'name', label: 'Name' },
  { value: 'status', label: 'Status' },
  { value: 'created_at', label: 'On the list since' },
  { value: 'attribute', label: 'Attribute…' },
  { value: 'event', label: 'Campaign…' },
];

function TestEditor({ test, onChange, onRemove }: TestProps) {
  const kind = kindOf(test.field);
  return (
    <div className="condition-test">
      <Select
        bare
        label="Field"
        value={kind === 'attribute' || kind === 'event' ? kind : test.field}
        options={fieldOptions}
        onChange={(value) =>
          onChange(
            withField(
              test,
              value === 'attribute' ? 'attributes.' : value === 'event' ? 'campaigns..sent' : value,
            ),
          )
        }
      />
      {kind === 'attribute' && (
        <input
          className="input"
          aria-label="Name of the attribute"
          placeholder="city"
          value={test.field.slice('attributes.'.length)}
          spellCheck={false}
          onChange={(event) => onChange({ ...test, field: `attributes.${event.target.value}` })}
        />
      )}
      {kind === 'event' && <EventField test={test} onChange={onChange} />}
      <Select
        bare
        label="Comparison"
        value={test.op}
        options={
          kind === 'event'
            ? operatorsFor(test.field).map(({ value, label }) => ({
                value,
                label: value === 'exists' ? 'ever or never' : label.replace(/^is /, ''),
              }))
            : operatorsFor(test.field)
        }
        onChange={(op) => onChange(withOperator(test, op))}
      />
      <ValueField test={test} onChange={onChange} />
      <IconButton icon="close" label="Remove the test" onClick={onRemove} />
    </div>
  );
}

function EventField({ test, onChange }: Pick<TestProps, 'test' | 'onChange'>) {
  const room = useProject();
  const campaigns = useQuery(campaignsQuery(room)).data ?? [];
  const [, id = '', event = 'sent'] = test.field.split('.');
  return (
    <>
      <Select
        bare
        label="Campaign"
        value={id}
        options={[
          { value: '', label: 'Choose a campaign' },
          ...campaigns.map((campaign) => ({ value: campaign.id, label: campaign.name })),
        ]}
        onChange={(next) => onChange({ ...test, field: `campaigns.${next}.${event}` })}
      />
      <Select
        bare
        label="What happened"
        value={event}
        options={['sent', 'opened', 'clicked'].map((value) => ({ value, label: value }))}
        onChange={(next) => onChange({ ...test, field: `campaigns.${id}.${next}` })}
      />
    </>
  );
}

function ValueField({ test, onChange }: Pick<TestProps, 'test' | 'onChange'>) {
  const isAttribute = kindOf(test.field) === 'attribute';
  const isStatus = kindOf(test.field) === 'status';
  // An attribute's value is a number or a flag where it reads as one, as imports take it.
  const read = (text: string) => (isAttribute ? readValue(text) : text);
  switch (shapeOf(test.op)) {
    case 'none':
      return (
        <Select
          bare
          label="Set or not"
          value={String(test.value !== false)}
          options={[
            { value: 'true', label: 'yes' },
            { value: 'false', label: 'no' },
          ]}
          onChange={(value) => onChange({ ...test, value: value === 'true' })}
        />
      );
    case 'list':
      return (
        <input
          className="input"
          aria-label="Values, with commas between them"
          placeholder="one, two"
          defaultValue={Array.isArray(test.value) ? test.value.join(', ') : ''}
          onChange={(event) => {
            const values = event.target.value.split(',').map((part) => part.trim());
            onChange({ ...test, value: values.filter((part) => part !== '').map(read) });
          }}
        />
      );
    case 'date':
      return (
        <input
          type="date"
          className="input"
          aria-label="Day"
          value={String(test.value).slice(0, 10)}
          onChange={(event) => onChange({ ...test, value: event.target.value })}
        />
      );
    case 'days':
      return (
        <input
          type="number"
          min={1}
          className="input"
          aria-label="Days"
          value={Number(test.value)}
          onChange={(event) => onChange({ ...test, value: Number(event.target.value) })}
        />
      );
    default:
      return isStatus ? (
        <Select
          bare
          label="Status"
          value={String(test.value)}
          options={subscriberStatuses.map((value) => ({ value, label: value }))}
          onChange={(value) => onChange({ ...test, value })}
        />
      ) : (
        <input
          className="input"
          aria-label="Value"
          value={typeof test.value === 'string' ? test.value : JSON.stringify(test.value)}
          onChange={(event) => onChange({ ...test, value: read(event.target.value) })}
        />
      );
  }
}
