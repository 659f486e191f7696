import { sameOriginPath } from '../api/http.ts';
import type { EnvelopeAttachment } from '../api/inbox.ts';
import { isPicture } from '../chat/files.ts';
import { byteSize } from '../lib/names.ts';
import { Icon } from '../ui/icons.tsx';

interface EnvelopeFilesProps {
  readonly attachments: readonly EnvelopeAttachment[];
  /** Pictures of strangers are not shown before somebody asks for them. */
  readonly trusted: boolean;
}

export function EnvelopeFiles({ attachments, trusted }: EnvelopeFilesProps) {
  if (attachments.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Files">
      {attachments.map((attachment) => {
        const path = sameOriginPath(attachment.url);
        const kind = attachment.mime.split(';')[0] ?? attachment.mime;
        return (
          <li key={attachment.id}>
            {trusted && isPicture(attachment.mime) ? (
              <a className="picture" href={path} target="_blank" rel="noopener noreferrer">
                <img src={path} alt={`Picture, ${kind}`} loading="lazy" decoding="async" />
              </a>
            ) : (
              <a className="file-card" href={path} download>
                <Icon name="file" />
                <span className="file-words">
                  <span className="file-name">{kind}</span>
                  <span className="file-size">{byteSize(attachment.size_bytes)}</span>
                </span>
                <Icon name="download" small />
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}
