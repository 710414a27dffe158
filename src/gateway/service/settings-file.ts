// gateway.json on disk: checked whenever it is read, changed under a lock and replaced as a whole.

import type { ChannelTable } from '../../channels/channel-table.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import { formatGatewayFile, GATEWAY_FILE, type GatewayFile, parseGatewayFile } from '../settings/gateway-file.ts';

export interface SettingsFile {
  readonly path: string;
  /** Throws ConfigError with every problem. */
  read(): Promise<GatewayFile>;
  /** Durable when it resolves. A file that cannot be used, before or after, is left as it is. */
  edit(change: (file: GatewayFile) => GatewayFile): Promise<void>;
}

export function createSettingsFile(files: OwnerFiles, channels: ChannelTable): SettingsFile {
  const path = files.location(GATEWAY_FILE);
  return {
    path,
    read: async () => parseGatewayFile(await files.read(GATEWAY_FILE), path, channels),
    edit: (change) =>
      files.update(GATEWAY_FILE, (current) => {
        const text = formatGatewayFile(change(parseGatewayFile(current, path, channels)));
        parseGatewayFile(text, path, channels);
        return text;
      }),
  };
}
