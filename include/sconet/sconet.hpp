// Everything sconet offers.
#pragma once

#include "sconet/cross_validation.hpp"
#include "sconet/encoder.hpp"
#include "sconet/errors.hpp"
#include "sconet/explain.hpp"
#include "sconet/generators.hpp"
#include "sconet/intervals.hpp"
#include "sconet/metrics.hpp"
#include "sconet/model.hpp"
#include "sconet/network.hpp"
#include "sconet/options.hpp"
#include "sconet/report.hpp"
#include "sconet/table.hpp"
#include "sconet/train.hpp"
#include "sconet/version.hpp"
