// Where the page's policy asks for trusted types, only the address of our own worker becomes a script.

interface TypePolicy {
  createScriptURL(address: string): unknown;
}
interface TypePolicies {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): TypePolicy;
}

let policy: TypePolicy | undefined;

export function trustedWorkerUrl(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TypePolicies };
  if (!trustedTypes) return address;
  policy ??= trustedTypes.createPolicy('lainclaw', {
    createScriptURL(asked) {
      if (new URL(asked, location.href).origin !== location.origin) throw new TypeError('a worker of another origin');
      return asked;
    },
  });
  return policy.createScriptURL(address) as string;
}
