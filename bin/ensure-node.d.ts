/** True when the caller may continue. False: the command has been handed to another Node, or refused (exit code set). */
export function ensureNode(): boolean;
