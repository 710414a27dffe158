// By itself the engine lets its heap grow on a large machine, for speed that a waiting service does not need: a turn that
// leaves 20 MB behind then stands at 300 MB. A process that stays keeps its young generation as it is, and collects the
// old one when it has grown by half: half the memory, for no time that can be measured (bench/many-turns.ts).
// One-shot commands never come here: loading the module alone costs them two milliseconds.

export function keepMemorySmall(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
