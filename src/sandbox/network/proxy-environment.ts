// The settings by which programs find a proxy. Most read the general variables; those with settings of their own, which a
// file of the project could set, get these as well.

export interface ProxyPlace {
  port: number;
  /** Whether addresses of this machine go through the proxy too. */
  loopback: boolean;
}

export function proxyEnvironment({ port, loopback }: ProxyPlace): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  // The sandbox has a loopback of its own: a test reaches its own server there, unless a permitted host is on loopback.
  const direct = loopback ? '' : 'localhost,127.0.0.1,::1';
  const java = `-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=${port} -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=${port}`;
  return {
    ...both('http_proxy', proxy),
    ...both('https_proxy', proxy),
    ...both('all_proxy', proxy),
    ...both('no_proxy', direct),
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: direct,
    // One request more to a host that nobody asked for, and its refusal would be noise.
    npm_config_update_notifier: 'false',
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    PIP_PROXY: proxy,
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    CARGO_HTTP_PROXY: proxy,
    NODE_USE_ENV_PROXY: '1',
    MAVEN_OPTS: java,
    GRADLE_OPTS: java,
    ELECTRON_GET_USE_PROXY: '1',
  };
}

/** Programs differ in which spelling they read. */
function both(name: string, value: string): Record<string, string> {
  return { [name]: value, [name.toUpperCase()]: value };
}
