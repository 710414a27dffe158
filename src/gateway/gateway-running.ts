import type { OwnerFiles } from '../storage/storage.ts';

/** Whether the gateway of this home is running, as far as its state file and the process it names tell. */
export async function isGatewayRunning(files: OwnerFiles): Promise<boolean> {
  try {
    const { pid } = JSON.parse((await files.read('service/gateway-service.json')) ?? '{}') as { pid?: unknown };
    return typeof pid === 'number' && process.kill(pid, 0);
  } catch {
    return false;
  }
}
