import { useEffect, useRef, useState } from 'react';
import { sameOriginPath } from '../api/http.ts';
import type { LocalAttachment } from '../api/local.ts';
import { byteSize } from '../lib/names.ts';
import { IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { isPicture } from './files.ts';
import type { OutgoingFile } from './outbox.ts';

interface AttachmentsProps {
  readonly attachments: readonly LocalAttachment[];
  readonly onShow: (picture: LocalAttachment) => void;
}

/** The files of a message: pictures in place, everything else as something to download. */
export function Attachments({ attachments, onShow }: AttachmentsProps) {
  if (attachments.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Files">
      {attachments.map((attachment) => (
        <li key={attachment.id}>
          {isPicture(attachment.mime) ? (
            <Picture attachment={attachment} onShow={onShow} />
          ) : (
            <FileLink attachment={attachment} />
          )}
        </li>
      ))}
    </ul>
  );
}

function Picture({
  attachment,
  onShow,
}: {
  attachment: LocalAttachment;
  onShow: AttachmentsProps['onShow'];
}) {
  const [broken, setBroken] = useState(false);
  if (broken) return <FileLink attachment={attachment} />;
  return (
    <button
      type="button"
      className="picture"
      onClick={() => onShow(attachment)}
      aria-label={`Enlarge ${attachment.name}`}
    >
      <img
        src={sameOriginPath(attachment.url)}
        alt={attachment.name}
        loading="lazy"
        decoding="async"
        onError={() => setBroken(true)}
      />
    </button>
  );
}

function FileLink({ attachment }: { readonly attachment: LocalAttachment }) {
  return (
    <a className="file-card" href={sameOriginPath(attachment.url)} download={attachment.name}>
      <Icon name="file" />
      <span className="file-words">
        <span className="file-name">{attachment.name}</span>
        <span className="file-size">{byteSize(attachment.size_bytes)}</span>
      </span>
      <Icon name="download" small />
    </a>
  );
}

export function PictureDialog({ picture, onClose }: { picture: LocalAttachment; onClose: () => void }) {
  return (
    <Dialog title={picture.name} onClose={onClose} wide>
      <img className="picture-large" src={sameOriginPath(picture.url)} alt={picture.name} />
      <div className="dialog-actions">
        <a className="button button-plain" href={sameOriginPath(picture.url)} download={picture.name}>
          <Icon name="download" small />
          <span className="button-label">Download ({byteSize(picture.size_bytes)})</span>
        </a>
      </div>
    </Dialog>
  );
}

interface PendingFilesProps {
  readonly files: readonly OutgoingFile[];
  readonly onRemove?: (key: string) => void;
}

/** Files that are about to be sent. */
export function PendingFiles({ files, onRemove }: PendingFilesProps) {
  if (files.length === 0) return null;
  return (
    <ul className="pending-files" aria-label="Files to send">
      {files.map(({ key, file }) => (
        <li key={key} className="pending-file">
          <Thumbnail file={file} />
          <span className="file-words">
            <span className="file-name">{file.name}</span>
            <span className="file-size">{byteSize(file.size)}</span>
          </span>
          {onRemove !== undefined && (
            <IconButton icon="close" label={`Remove ${file.name}`} onClick={() => onRemove(key)} />
          )}
        </li>
      ))}
    </ul>
  );
}

const THUMBNAIL_PIXELS = 80;

/** Drawn on a canvas: the page's policy lets no `blob:` or `data:` address be an image's source. */
function Thumbnail({ file }: { readonly file: File }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drawn, setDrawn] = useState(false);
  const picture = isPicture(file.type);

  useEffect(() => {
    if (!picture) return;
    let gone = false;
    createImageBitmap(file)
      .then((bitmap) => {
        const context = canvas.current?.getContext('2d');
        if (gone || context == null) return;
        const scale = THUMBNAIL_PIXELS / Math.min(bitmap.width, bitmap.height);
        const [width, height] = [bitmap.width * scale, bitmap.height * scale];
        context.drawImage(
          bitmap,
          (THUMBNAIL_PIXELS - width) / 2,
          (THUMBNAIL_PIXELS - height) / 2,
          width,
          height,
        );
        bitmap.close();
        setDrawn(true);
      })
      .catch(() => {
        // Not a picture after all; the icon stays.
      });
    return () => {
      gone = true;
    };
  }, [file, picture]);

  return (
    <span className="thumbnail">
      {picture && <canvas ref={canvas} width={THUMBNAIL_PIXELS} height={THUMBNAIL_PIXELS} hidden={!drawn} />}
      {!drawn && <Icon name="file" />}
    </span>
  );
}
