/** Formats that a browser may show in place: none of them can hold a script. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp|apng)|audio\/.+|video\/.+|text\/plain)$/;

/** `Content-Disposition` of a file (RFC 6266): its name for old clients in ASCII, and whole in UTF-8. */
export function contentDisposition({ name, mime }: { readonly name: string; readonly mime: string }): string {
  const type = SHOWN.test(mime) ? 'inline' : 'attachment';
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${plain}"; filename*=UTF-8''${whole}`;
}
