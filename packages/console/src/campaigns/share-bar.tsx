interface Part {
  readonly name: string;
  /** Chooses the colour: a status or a state, by the style sheet. */
  readonly kind: string;
  readonly value: number;
}

interface ShareBarProps {
  readonly label: string;
  readonly parts: readonly Part[];
}

/** One bar cut into shares, and the numbers beside it; the numbers are the content, the bar shows proportion. */
export function ShareBar({ label, parts }: ShareBarProps) {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  return (
    <div className="share">
      <div className="share-bar" aria-hidden="true">
        {parts.map(
          ({ name, kind, value }) =>
            value > 0 && (
              <span key={name} className={`share-part tone-${kind}`} style={{ flexGrow: value / total }} />
            ),
        )}
      </div>
      <ul className="share-legend" aria-label={label}>
        {parts.map(
          ({ name, kind, value }, index) =>
            (value > 0 || index === 0) && (
              <li key={name}>
                <span className={`share-dot tone-${kind}`} aria-hidden="true" />
                <strong>{value.toLocaleString()}</strong> {name}
              </li>
            ),
        )}
      </ul>
    </div>
  );
}
