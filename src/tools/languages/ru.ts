import type { ToolTexts } from './language.ts';

export const ru: ToolTexts = {
  'time.now': { description: 'Текущий момент: метка времени (мс) и ISO 8601 в UTC.' },
  current_time: {
    description: 'Местная дата, время, часовой пояс и день недели.',
    parameters: { timezone: 'Имя IANA, например Europe/Moscow; по умолчанию — пояс системы' },
  },
  'tools.echo': { description: 'Возвращает свои аргументы без изменений; для проверки.' },
  'shell.pwd': { description: 'Рабочий каталог, от которого считаются относительные пути.' },
  'fs.list_dir': {
    description: 'Список каталога рабочей области: тип, размер и время изменения каждой записи.',
    parameters: {
      path: 'Каталог: путь относительно рабочей области или абсолютный внутри неё',
      recursive: 'Включить подкаталоги',
      maxDepth: 'Сколько уровней вниз при recursive',
    },
  },
  'fs.read_file': {
    description: 'Читает текстовый файл рабочей области целиком или диапазон строк.',
    parameters: {
      path: 'Файл: путь относительно рабочей области или абсолютный внутри неё',
      startLine: 'Первая строка, считая с 1',
      maxLines: 'Количество строк',
      maxBytes: 'Больше этого — отказ',
    },
  },
};
