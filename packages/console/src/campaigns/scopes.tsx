import { Button } from '../ui/button.tsx';

const areas = [
  'projects',
  'keys',
  'lists',
  'subscribers',
  'segments',
  'templates',
  'campaigns',
  'domains',
  'suppressions',
  'emails',
  'webhooks',
  'reports',
] as const;

const every = [
  ...areas.flatMap((area) => [`${area}:read`, `${area}:write`]),
  'campaigns:launch',
] as readonly string[];

const content = ['lists', 'subscribers', 'segments', 'templates', 'campaigns'];

/** Choices that most keys are. */
export const scopePresets = {
  reader: every.filter((scope) => scope.endsWith(':read')),
  /** Prepares everything; a person launches. */
  drafter: every.filter(
    (scope) => scope.endsWith(':read') || content.some((area) => scope === `${area}:write`),
  ),
  campaigner: every.filter(
    (scope) =>
      scope.endsWith(':read') ||
      content.some((area) => scope === `${area}:write`) ||
      scope === 'campaigns:launch',
  ),
  everything: every,
} as const;

interface ScopePickerProps {
  readonly scopes: readonly string[];
  readonly onChange: (scopes: readonly string[]) => void;
}

/** What a key may do: a row an area, with presets for the usual. */
export function ScopePicker({ scopes, onChange }: ScopePickerProps) {
  const toggle = (scope: string, on: boolean) =>
    onChange(every.filter((one) => (one === scope ? on : scopes.includes(one))));
  return (
    <fieldset className="choice">
      <legend>It may</legend>
      <div className="preset-row">
        <Button onClick={() => onChange(scopePresets.reader)}>Read</Button>
        <Button onClick={() => onChange(scopePresets.drafter)}>Prepare, not launch</Button>
        <Button onClick={() => onChange(scopePresets.campaigner)}>Prepare and launch</Button>
        <Button onClick={() => onChange(scopePresets.everything)}>Everything</Button>
      </div>
      <table className="scope-table">
        <thead>
          <tr>
            <th scope="col">Area</th>
            <th scope="col">read</th>
            <th scope="col">write</th>
            <th scope="col">launch</th>
          </tr>
        </thead>
        <tbody>
          {areas.map((area) => (
            <tr key={area}>
              <th scope="row">{area}</th>
              {['read', 'write', 'launch'].map((right) => {
                const scope = `${area}:${right}`;
                return (
                  <td key={right}>
                    {every.includes(scope) && (
                      <input
                        type="checkbox"
                        aria-label={scope}
                        checked={scopes.includes(scope)}
                        onChange={(event) => toggle(scope, event.target.checked)}
                      />
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </fieldset>
  );
}
