import type { Platform } from '../platforms/platform.ts';

/** Where a post was made. */
export interface PostedIn {
  readonly channelId: string;
  /** Null where the whole channel is the session. */
  readonly threadId: string | null;
}

export interface PostWatcher {
  /** Before a post or file goes out; it waits for this, which has to end by itself. */
  before(place: PostedIn): Promise<void>;
  after(place: PostedIn): void;
}

/** A platform that tells of each post and file that goes out through it. */
export function withPostsSeen(platform: Platform, watcher: PostWatcher): Platform {
  const post: Platform['post'] = async (message) => {
    await watcher.before(message);
    const ref = await platform.post(message);
    watcher.after(message);
    return ref;
  };
  const upload: Platform['upload'] = async (file) => {
    await watcher.before(file);
    const ref = await platform.upload(file);
    watcher.after(file);
    return ref;
  };
  return new Proxy(platform, {
    get(target, name) {
      if (name === 'post') return post;
      if (name === 'upload') return upload;
      const value: unknown = Reflect.get(target, name, target);
      // A platform may be a class whose methods need itself.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
