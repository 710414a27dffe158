// The environment a command gets: an allow-list. Nobody could list all variables that hold keys and tokens, so no other
// variable passes.

const ALLOWED: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ'],
  ...['TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'COLUMNS', 'LINES'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE'],
  ...['NVM_DIR', 'VOLTA_HOME', 'BUN_INSTALL', 'DENO_INSTALL', 'PNPM_HOME', 'FNM_DIR'],
  ...['PYENV_ROOT', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'CARGO_HOME', 'RUSTUP_HOME', 'RUSTUP_TOOLCHAIN'],
  ...['GOPATH', 'GOROOT', 'GOFLAGS', 'JAVA_HOME', 'SDKMAN_DIR', 'RBENV_ROOT', 'GEM_HOME', 'DOTNET_ROOT'],
  ...['ASDF_DIR', 'ASDF_DATA_DIR', 'MISE_DATA_DIR', 'ANDROID_HOME', 'NIX_PROFILES', 'CI'],
];

/** Keeps programs from waiting for a person, and lets git cross mounts. */
const FIXED: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_DISCOVERY_ACROSS_FILESYSTEM: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  TMPDIR: '/tmp',
};

export function commandEnvironment(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const passed = Object.entries(variables).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && (ALLOWED.includes(entry[0]) || isLocale(entry[0])),
  );
  return { ...Object.fromEntries(passed), ...FIXED };
}

function isLocale(name: string): boolean {
  return /^LC_[A-Z]+$/.test(name);
}
