/** Whether a path, relative to the workspace and with links resolved, is kept from being read. */
export type HidesPath = (path: string) => boolean;
