// The parts of the SDK that are used, named one by one: behind a dynamic import the bundler keeps all of a package, and of this
// one that is 2 MB (see scripts/lean-feishu-sdk.ts). Imported lazily, when the long connection is opened.
export { EventDispatcher, LoggerLevel, WSClient } from '@larksuiteoapi/node-sdk';
