// Nothing: the headers that all test programs share are compiled with it.
